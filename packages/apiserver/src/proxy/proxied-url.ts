/** As Go joins paths: no empty or "." segments, ".." goes one up, and no slash at the end but for the root itself. "" for nothing. */
export function joinPaths(...paths: readonly string[]): string {
  const joined = paths.filter((path) => path !== "").join("/")
  const kept: string[] = []
  for (const segment of joined.split("/")) {
    if (segment === "..") kept.pop()
    else if (segment !== "" && segment !== ".") kept.push(segment)
  }
  return joined === "" ? "" : `/${kept.join("/")}`
}

/** Joins paths, and keeps a slash at the end of the last one. */
export function joinKeepingSlash(...paths: readonly string[]): string {
  const joined = joinPaths(...paths)
  const last = paths.findLast((path) => path !== "") ?? ""
  return last.endsWith("/") && !joined.endsWith("/") ? `${joined}/` : joined
}

/** A decoded path as Go writes it in a request. */
export function encodedPath(path: string): string {
  return encodeURIComponent(path.toWellFormed())
    .replaceAll(/%(?:24|26|2B|2C|2F|3A|3B|3D|40)/g, decodeURIComponent)
    .replaceAll(/[!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`)
}

/** Where a page was read. */
export interface ProxiedPage {
  /** What stands before the path of every page of the same server: "/api/v1/namespaces/default/services/web/proxy". */
  readonly prefix: string
  /** Host and port of the server, and what the client has called it: URLs with one of these lead to the server itself. */
  readonly hosts: { readonly server: string; readonly client: string }
}

/** A scheme, a host, a path, and the rest. */
const parts = /^([a-z][a-z\d+.-]*:)?(\/\/[^/?#]*)?([^?#]*)(.*)$/is

/** A URL of a page in such a form that it leads through the proxy. Those of other hosts, and relative ones, stay as they are. */
export function rewriteUrl(url: string, { prefix, hosts }: ProxiedPage): string {
  const [, scheme = "", authority = "", path = "", rest = ""] = parts.exec(url) ?? []
  const host = authority.slice(2).replace(/^[^@]*@/, "")
  const isOther = host !== "" && host !== hosts.server && host !== hosts.client
  if (isOther || !path.startsWith("/") || (scheme !== "" && host === "")) return url
  const kept = host !== "" && host === hosts.client ? scheme + authority : ""
  return `${kept}${path.startsWith(prefix) ? path : joinKeepingSlash(prefix, path)}${rest}`
}
