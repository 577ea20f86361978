import { badRequest, fieldError, invalid } from "@pilothouse/api"
import { type Query, queryValue, type TransportResponse } from "@pilothouse/seams"
import type { Call } from "../server/call.ts"
import { askKubelet, containerOf, podOf } from "./pod-host.ts"

const kind = { group: "", kind: "PodLogOptions" }
const positive: Readonly<Record<string, number>> = { tailLines: 0, sinceSeconds: 1, limitBytes: 1 }

/** What a container has printed. A pod that is on no node yet has printed nothing, which is no error. */
export async function log(call: Call): Promise<TransportResponse> {
  const pod = podOf(call)
  checkOptions(call.name, call.query)
  const container = containerOf(pod, queryValue(call.query, "container"))
  const node = pod.spec?.nodeName ?? ""
  if (node === "") return { status: 204, headers: {}, body: { type: "bytes", bytes: new Uint8Array(), contentType: "text/plain" } }
  const { container: _named, ...query } = call.query
  return askKubelet(call, node, ["containerLogs", call.namespace ?? "", call.name, container], query)
}

function checkOptions(name: string, query: Query): void {
  const causes = Object.entries(positive).flatMap(([option, least]) => {
    const text = queryValue(query, option)
    if (text === undefined) return []
    if (!/^-?\d{1,18}$/.test(text)) throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(text)}: invalid syntax`)
    const value = Number(text)
    if (value >= least) return []
    return [fieldError.invalid(option, value, least === 0 ? "must be greater than or equal to 0" : "must be greater than 0")]
  })
  if (causes.length > 0) throw invalid(kind, name, causes)
}
