import type { TransportRequest, TransportResponse } from "@pilothouse/seams"
import type { ServedGroup } from "./groups.ts"

/** The list of paths that a browser or curl gets from the server's root; for people, so always on lines of their own. */
export function rootResponse({ path }: TransportRequest, paths: () => readonly string[]): TransportResponse | undefined {
  if (path !== "/" && path !== "" && path !== "/index.html") return undefined
  const sorted = [...new Set(paths())].sort()
  const contentType = "application/json"
  const bytes = Buffer.from(JSON.stringify({ paths: sorted }, undefined, 2))
  return { status: 200, headers: { "content-type": contentType }, body: { type: "bytes", bytes, contentType } }
}

/** "/apis/apps", "/apis/apps/v1" … */
export function groupPaths(groups: readonly ServedGroup[]): readonly string[] {
  const paths = groups.flatMap(({ name, versions }) => {
    const path = name === "" ? "/api" : `/apis/${name}`
    return [path, ...versions.map(({ version }) => `${path}/${version}`)]
  })
  return ["/apis", "/apis/", ...paths]
}
