/** The backend's answers. Changes go one after another, each on the revision of the one before. */

export class StaleError extends Error {}

const CHANGE = { "Content-Type": "application/json", "X-Skord-Annotation": "1" };

async function answered(response) {
  const body = await response.json().catch(() => ({ detail: response.statusText }));
  if (response.ok) return body;
  const said = typeof body.detail === "string" ? body.detail : JSON.stringify(body.detail);
  throw response.status === 409 ? new StaleError(said) : new Error(said);
}

export const read = async (path, query = {}) =>
  answered(await fetch(`/api/${path}?${new URLSearchParams(query)}`));

export const change = async (path, body) =>
  answered(await fetch(`/api/${path}`, { method: "POST", headers: CHANGE, body: JSON.stringify(body) }));
