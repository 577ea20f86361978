import { badRequest, fieldError, internalError, invalid, unexpectedResponse } from "@pilothouse/api"
import { type Query, queryValue, type TransportResponse } from "@pilothouse/seams"
import type { Call } from "../server/call.ts"
import { askKubelet, containerOf, podOf } from "./pod-host.ts"

const kind = { group: "", kind: "PodLogOptions" }
const positive: Readonly<Record<string, number>> = { tailLines: 0, sinceSeconds: 1, limitBytes: 1 }

/** Serves the log of a container. That of a pod without a node is empty, which is no error. */
export async function log(call: Call): Promise<TransportResponse> {
  const pod = podOf(call)
  checkOptions(call.name, call.query)
  const container = containerOf(pod, queryValue(call.query, "container"))
  const node = pod.spec?.nodeName ?? ""
  if (node === "") return { status: 204, headers: {}, body: { type: "bytes", bytes: new Uint8Array(), contentType: "text/plain" } }
  const { container: _named, ...query } = call.query
  return checked(call, await askKubelet(call, node, ["containerLogs", call.namespace ?? "", call.name, container], query))
}

/** Kubelets refuse in plain text: a client of the API gets a Status. */
async function checked(call: Call, response: TransportResponse): Promise<TransportResponse> {
  const { status, body } = response
  if ((status >= 200 && status <= 206) || body.type === "value") return response
  const text = await refusalText(body)
  if (status === 400) throw badRequest(text)
  if (status === 500) throw internalError(text)
  throw unexpectedResponse({ code: status, method: "", body: text, resource: call.resource.descriptor, name: call.name })
}

/** Characters of a refusal that are passed on. */
const maxRefusal = 10_000

async function refusalText(body: Exclude<TransportResponse["body"], { readonly type: "value" }>): Promise<string> {
  if (body.type === "bytes") return new TextDecoder().decode(body.bytes).slice(0, maxRefusal)
  let text = ""
  for await (const frame of body.frames) {
    if (frame.type === "bytes") text += new TextDecoder().decode(frame.bytes)
    if (text.length >= maxRefusal) break
  }
  return text.slice(0, maxRefusal)
}

function checkOptions(name: string, query: Query): void {
  const causes = Object.entries(positive).flatMap(([option, min]) => {
    const text = queryValue(query, option)
    if (text === undefined) return []
    if (!/^-?\d{1,18}$/.test(text)) throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(text)}: invalid syntax`)
    const value = Number(text)
    if (value >= min) return []
    return [fieldError.invalid(option, value, min === 0 ? "must be greater than or equal to 0" : "must be greater than 0")]
  })
  if (causes.length > 0) throw invalid(kind, name, causes)
}
