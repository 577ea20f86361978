import { PilothouseError, withoutTrailing } from "@pilothouse/seams"
import type { ClusterEntry } from "./types.ts"

/** Returns the server's address with its scheme. The default is https where a certificate field is set, and http otherwise, as for kubectl. */
export function serverAddress(cluster: ClusterEntry, what: string): string {
  const { server } = cluster
  if (!server) throw new PilothouseError("INVALID", `expected a server in ${what}, found none; add it, for example https://10.0.0.1:6443`)
  const secure = cluster["certificate-authority"] || cluster["certificate-authority-data"] || cluster["insecure-skip-tls-verify"]
  const address = server.includes("://") ? server : `${secure ? "https" : "http"}://${server}`
  const url = URL.parse(address)
  if (url === null || (url.protocol !== "https:" && url.protocol !== "http:")) {
    throw new PilothouseError(
      "INVALID",
      `expected an address that begins with https:// or http:// as server of ${what}, found ${JSON.stringify(server)}; correct it`,
    )
  }
  return `${url.origin}${withoutTrailing(url.pathname, "/")}`
}
