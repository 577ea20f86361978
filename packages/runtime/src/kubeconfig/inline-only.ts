import { isLoopbackIp } from "@pilothouse/api/net"
import { PilothouseError } from "@pilothouse/seams"
import type { ResolvedContext } from "./choose.ts"
import { serverAddress } from "./server-address.ts"

/** What says who and where in so many words. All else names a program, a file, or somebody in between. */
const inlineClusterFields: readonly string[] = ["server", "certificate-authority-data"]
const inlineUserFields: readonly string[] = ["client-certificate-data", "client-key-data", "token"]

/**
 * For a kubeconfig that nobody asked for by name: one that lay in the working directory may have come with a cloned repository. It must not start
 * programs, send files away, or lead to another machine.
 */
export function refuseUnlessInline({ cluster, clusterName, user, userName }: ResolvedContext, from: string): void {
  refuseFields(cluster, inlineClusterFields, `cluster "${clusterName}"`, from)
  refuseFields(user, inlineUserFields, `user "${userName}"`, from)
  const server = serverAddress(cluster, `cluster "${clusterName}" in ${from}`)
  if (!isLoopbackHost(new URL(server).hostname)) throw notInline(`the server ${server}`, from)
}

function refuseFields(entry: object, allowed: readonly string[], what: string, from: string): void {
  for (const field of Object.keys(entry)) if (!allowed.includes(field)) throw notInline(`${field} in ${what}`, from)
}

/** As a URL has it: IPv4 in four parts, IPv6 in brackets. */
function isLoopbackHost(host: string): boolean {
  return host === "localhost" || isLoopbackIp(host.replace(/^\[|\]$/g, ""))
}

function notInline(found: string, from: string): PilothouseError {
  const expected = `expected in ${from}, which was found and not asked for, a server on this machine and credentials that stand in the file itself`
  return new PilothouseError("INVALID", `${expected}, found ${found}; give --kubeconfig to use this`)
}
