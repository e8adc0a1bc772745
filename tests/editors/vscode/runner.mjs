// Runs the journeys of one window in their order; each prints a line of JSON with what it saw.

/** Return the function that runs a journey; once one has failed, those after it are skipped. */
export function journeyRunner(w) {
  let failed = false;
  return async function journey(name, run) {
    if (failed) return;
    const began = performance.now();
    const report = { journey: name };
    try {
      report.saw = await run();
    } catch (problem) {
      failed = true;
      report.wrong = problem.stack;
      report.picture = await w.failure(name);
    }
    report.ms = Math.round(performance.now() - began);
    console.log(JSON.stringify(report));
  };
}
