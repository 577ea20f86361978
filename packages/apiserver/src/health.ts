import type { TransportRequest, TransportResponse } from "@pilothouse/seams"
import { notFoundPage, textResponse } from "./text-response.ts"

/** What is asked by /healthz?verbose and /readyz/<check>. In one process there is nothing that could be up or down by itself. */
const checks: readonly string[] = ["ping", "log", "etcd", "poststarthook/start-service-ip-repair-controllers"]
const roots: readonly string[] = ["healthz", "livez", "readyz"]

export const healthPaths: readonly string[] = roots.flatMap((root) => [`/${root}`, ...checks.map((check) => `/${root}/${check}`)])

export function healthResponse({ path, query }: TransportRequest): TransportResponse | undefined {
  const [root = "", ...rest] = path.replace(/^\/+|\/+$/g, "").split("/")
  if (!roots.includes(root)) return undefined
  const check = rest.join("/")
  if (check !== "") return checks.includes(check) ? textResponse("ok") : notFoundPage()
  if (query.verbose === undefined) return textResponse("ok")
  return textResponse([...checks.map((name) => `[+]${name} ok`), `${root} check passed`, ""].join("\n"))
}
