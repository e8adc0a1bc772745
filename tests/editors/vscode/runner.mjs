// Goes journeys in one window, in their order; each says in one line of JSON what was seen.

/** Give what goes a journey from where the one before has ended; after one in vain, none is gone. */
export function journeyRunner(w) {
  let lost = false;
  return async function journey(name, go) {
    if (lost) return;
    const began = performance.now();
    const told = { journey: name };
    try {
      told.saw = await go();
    } catch (problem) {
      lost = true;
      told.wrong = problem.stack;
      told.picture = await w.failure(name);
    }
    told.ms = Math.round(performance.now() - began);
    console.log(JSON.stringify(told));
  };
}
