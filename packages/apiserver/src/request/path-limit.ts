import { StatusError } from "@pilothouse/api"

/** Characters. Names and namespaces have at most 253 each; a proxied path may be longer. */
const pathLimit = 8 * 1024

/** Refuses a path that is too long before anything is done with it. Go limits it with the headers only; the code is HTTP's for this. */
export function checkPathLength(path: string): void {
  if (path.length <= pathLimit) return
  const message = `the path of the request is too long: limit is ${pathLimit}`
  throw new StatusError({ kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure", message, reason: "", code: 414 })
}
