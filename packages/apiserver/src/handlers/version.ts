import { type TransportRequest, type TransportResponse, valueBody } from "@pilothouse/seams"

/** The release whose API this is: the types and the behaviour are its own. */
export const gitVersion = "v1.36.3"

const version = {
  major: "1",
  minor: "36",
  emulationMajor: "1",
  emulationMinor: "36",
  minCompatibilityMajor: "1",
  minCompatibilityMinor: "35",
  gitVersion,
  gitCommit: "",
  gitTreeState: "clean",
  buildDate: "1970-01-01T00:00:00Z",
  goVersion: "",
  compiler: "pilothouse",
  platform: "node",
}

export function versionResponse({ path, verb }: TransportRequest): TransportResponse | undefined {
  if (verb !== "GET" || (path !== "/version" && path !== "/version/")) return undefined
  return { status: 200, headers: { "content-type": "application/json" }, body: valueBody(version) }
}
