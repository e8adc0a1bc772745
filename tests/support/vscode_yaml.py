"""An extension for VS Code that runs yaml-language-server, bundled and packed for tests."""

import json
import subprocess
import zipfile
from pathlib import Path

from tests.support.vscode_extension import ROOT, packages

_SOURCES = ROOT / "tests" / "editors" / "vscode" / "yaml_client"
_MANIFEST = """<?xml version="1.0" encoding="utf-8"?>
<PackageManifest Version="2.0.0" xmlns="http://schemas.microsoft.com/developer/vsx-schema/2011">
  <Metadata>
    <Identity Language="en-US" Id="{name}" Version="{version}" Publisher="{publisher}"/>
    <DisplayName>{displayName}</DisplayName>
  </Metadata>
  <Installation><InstallationTarget Id="Microsoft.VisualStudio.Code"/></Installation>
  <Dependencies/>
  <Assets>
    <Asset Type="Microsoft.VisualStudio.Code.Manifest" Path="extension/package.json"/>
  </Assets>
</PackageManifest>
"""
_TYPES = """<?xml version="1.0" encoding="utf-8"?>
<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">
  <Default Extension=".json" ContentType="application/json"/>
  <Default Extension=".js" ContentType="application/javascript"/>
  <Default Extension=".vsixmanifest" ContentType="text/xml"/>
</Types>
"""


def yaml_extension(directory: Path) -> Path:
    """Bundle the extension with its client library, and pack it below `directory`."""
    built = packages()
    bundle = directory / "yaml-client.js"
    esbuild = built / "node_modules" / ".bin" / "esbuild"
    options = ("--bundle", "--platform=node", "--external:vscode", f"--outfile={bundle}")
    source = _SOURCES / "extension.js"
    subprocess.run(
        [esbuild, source, *options, "--log-level=error"],
        env={"NODE_PATH": str(built / "node_modules"), "PATH": "/usr/bin:/bin"},
        check=True,
    )
    manifest = (_SOURCES / "package.json").read_text()
    package = directory / "yaml-client.vsix"
    with zipfile.ZipFile(package, "w") as packed:
        packed.writestr("[Content_Types].xml", _TYPES)
        packed.writestr("extension.vsixmanifest", _MANIFEST.format(**json.loads(manifest)))
        packed.writestr("extension/package.json", manifest)
        packed.write(bundle, "extension/extension.js")
    return package
