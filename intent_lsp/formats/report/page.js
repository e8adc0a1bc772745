(() => {
  const box = document.getElementById("filter");
  const told = document.getElementById("shown");
  const toggle = document.getElementById("toggle");
  const records = [...document.querySelectorAll("#records > details")];
  const texts = records.map((record) => record.textContent.toLowerCase());
  const show = () => {
    const words = box.value.toLowerCase().split(/\s+/).filter(Boolean);
    let count = 0;
    records.forEach((record, place) => {
      record.hidden = !words.every((word) => texts[place].includes(word));
      count += record.hidden ? 0 : 1;
    });
    told.textContent = `${count} of ${records.length} shown`;
  };
  const reveal = () => {
    const wanted = records.find((record) => "#" + record.id === location.hash);
    if (!wanted) return;
    box.value = "";
    show();
    wanted.open = true;
    wanted.scrollIntoView();
  };
  if (!box) return;
  box.closest(".tools").hidden = false;
  box.addEventListener("input", show);
  toggle.addEventListener("click", () => {
    const open = records.some((record) => !record.hidden && !record.open);
    records.forEach((record) => { record.open = open && !record.hidden; });
  });
  addEventListener("hashchange", reveal);
  show();
  reveal();
})();
