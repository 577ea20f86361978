import type { TransportRequest, TransportResponse } from "@pilothouse/seams"
import { notFoundPage, textResponse } from "../response/text-response.ts"
import type { Server } from "../server/server.ts"
import type { WriteRefusal } from "../storage/storage.ts"

/** What is asked by /healthz?verbose and /readyz/<check>. In one process nothing but the storage can be up or down by itself. */
const checks: readonly string[] = ["ping", "log", "etcd", "poststarthook/start-service-ip-repair-controllers"]
/** Upstream's name for what objects are kept in. */
const storageCheck = "etcd"
const roots: readonly string[] = ["healthz", "livez", "readyz"]

export const healthPaths: readonly string[] = roots.flatMap((root) => [`/${root}`, ...checks.map((check) => `/${root}/${check}`)])

/** The answer to a health path. */
export async function healthResponse({ storage }: Pick<Server, "storage">, request: TransportRequest): Promise<TransportResponse> {
  const [root, check] = partsOf(request.path)
  if (check !== undefined && !checks.includes(check)) return notFoundPage()
  const asked = check === undefined || check === storageCheck
  const refusal = asked ? await refusalOf(root, storage) : undefined
  if (check === undefined) return whole(root, request.query, refusal)
  return refusal === undefined ? textResponse("ok") : textResponse(`internal server error: ${refusal.reason}\n`, 500)
}

export function isHealthPath(path: string): boolean {
  return roots.includes(partsOf(path)[0])
}

/** "/readyz/poststarthook/x" is "readyz" and "poststarthook/x". */
function partsOf(path: string): [root: string, check: string | undefined] {
  const [, root = "", check] = /^\/+([^/]*)(?:\/([^]*))?$/.exec(path) ?? []
  return [root, check]
}

/** A process that has no room to write is not ready, and alive all the same: starting it again would give it none. */
async function refusalOf(root: string, storage: Server["storage"]): Promise<WriteRefusal | undefined> {
  if (root !== "livez") return storage.writeRefusal()
  return storage.lastRefusal?.lasts === true ? storage.lastRefusal : undefined
}

/** Upstream's words. Why a check failed is said only to clients that request that check. */
function whole(root: string, { verbose, exclude }: TransportRequest["query"], refusal: WriteRefusal | undefined): TransportResponse {
  const excluded = exclude === undefined ? [] : [exclude].flat()
  const failed = (name: string) => name === storageCheck && refusal !== undefined && !excluded.includes(name)
  const line = (name: string) => {
    if (excluded.includes(name)) return `[+]${name} excluded: ok\n`
    return failed(name) ? `[-]${name} failed: reason withheld\n` : `[+]${name} ok\n`
  }
  const unknown = excluded
    .filter((name) => !checks.includes(name))
    .sort()
    .map((name) => JSON.stringify(name))
  const warning = unknown.length === 0 ? "" : `warn: some health checks cannot be excluded: no matches for ${unknown.join(",")}\n`
  const lines = [...checks.map(line), warning].join("")
  if (checks.some(failed)) return textResponse(`${lines}${root} check failed\n`, 500)
  return textResponse(verbose === undefined ? "ok" : `${lines}${root} check passed\n`)
}
