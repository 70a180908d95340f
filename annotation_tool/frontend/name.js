/** Asks who labels, until it is a name; a name that nobody here has is asked for twice. */

const $ = (id) => document.getElementById(id);

/** @param {string} name that is given already, "" at a first visit
 *  @param {object} state of the server: `annotators` by name, `allowed` names if only some may label
 *  @returns {Promise<string>} the name */
export function askName(name, { annotators, allowed, adjudicated }) {
  const known = allowed.length ? allowed : Object.keys(annotators).filter((n) => n !== adjudicated);
  const may = (given) => !allowed.length || allowed.includes(given) || given === adjudicated;
  const input = $("naming").elements.annotator;
  if (name && may(name)) return Promise.resolve(name);
  input.value = name;
  $("known").replaceChildren(...known.map((n) => new Option(n)));
  $("doubt").textContent = known.length ? `Labelling here: ${known.join(", ")}.` : "";
  $("begin").textContent = "begin";
  $("name").showModal();
  input.select();
  return new Promise((resolve) => {
    let doubted = "";
    input.oninput = () => { doubted = ""; $("begin").textContent = "begin"; };
    $("name").oncancel = (event) => event.preventDefault();
    $("naming").onsubmit = (event) => {
      event.preventDefault();
      const given = input.value.trim();
      if (!given || (!may(given) && deny(given, known))) return;
      if (known.length && !known.includes(given) && given !== doubted) {
        doubted = given;
        $("doubt").textContent = `${given} has labelled nothing here yet; ${known.join(", ")} have.`;
        $("begin").textContent = `begin as ${given}`;
        return;
      }
      $("name").close();
      resolve(given);
    };
  });
}

function deny(given, known) {
  $("doubt").textContent = `${given} is none of the annotators here: ${known.join(", ")}.`;
  return true;
}
