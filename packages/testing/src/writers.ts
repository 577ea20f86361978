import { PilothouseError, type TransportRequest } from "@pilothouse/seams"

/** Which controller changes something with the request: controllers say their name in the user agent ("pilothouse/job-controller"). Events change nothing. */
export function writerOf({ verb, path, headers }: TransportRequest): string | undefined {
  if (verb === "GET" || resourceIn(path) === "events") return undefined
  return headers["user-agent"]?.split("/")[1]
}

/** The plural that stands after group, version and namespace: a namespace or an object may be called "events" too. */
export function resourceIn(path: string): string | undefined {
  const names = path.split("/").slice(path.startsWith("/apis/") ? 4 : 3)
  return names[0] === "namespaces" && names.length > 2 ? names[2] : names[0]
}

/** A controller that writes nothing is not tried by crashes, however many there are. */
export function refuseIdle(expected: readonly string[], found: readonly string[]): void {
  const idle = expected.filter((name) => !found.includes(name))
  if (idle.length === 0) return
  const message = `expected ${idle.join(", ")} to write something in the scenario without a crash, found writes of ${found.join(", ") || "no controller"}`
  throw new PilothouseError("INVALID", `${message}; give it something to do, or leave it out of the writers`)
}
