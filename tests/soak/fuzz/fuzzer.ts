import { createApiServer } from "@pilothouse/apiserver"
import { type Random, recordingLog, seededRandom, type TransportRequest, type TransportResponse, VirtualClock } from "@pilothouse/seams"
import { fuzzRequest } from "./requests.ts"

/** How many turns a request gets before the clock is moved for it. */
const turns = 64
/** Longer than every wait of the server that is not a watch. */
const patience = 120_000

/** One server and a stream of bad requests to it. Each call answers with what was wrong with the answer, or undefined. */
export function fuzzer(random: Random): () => Promise<string | undefined> {
  const clock = new VirtualClock()
  const { log, lines } = recordingLog()
  const transport = createApiServer({ clock, random: seededRandom(1), log }).transport()
  return async () => {
    const request = fuzzRequest(random)
    const before = lines.length
    const fault = await faultOf(clock, transport(request))
    const logged = lines.slice(before).find(({ level }) => level === "error")
    const what = fault ?? (logged && `the server's own fault: ${JSON.stringify(logged)}`)
    return what && `${what}; asked ${described(request)}`
  }
}

/** Returns what is wrong with an answer: that there is none, or a refusal that is no Status. */
export async function faultOf(clock: VirtualClock, answering: Promise<TransportResponse>): Promise<string | undefined> {
  const state: { answer?: TransportResponse | Error } = {}
  answering.then(
    (response) => (state.answer = response),
    (error: unknown) => (state.answer = new Error("the handler threw", { cause: error })),
  )
  for (let turn = 0; turn < turns && state.answer === undefined; turn++) await Promise.resolve()
  if (state.answer === undefined) await clock.advance(patience)
  const settled = state.answer
  if (settled === undefined) return "no answer"
  return settled instanceof Error ? `${settled.message}: ${settled.cause}` : answerFault(settled)
}

async function answerFault({ status, body }: TransportResponse): Promise<string | undefined> {
  if (body.type === "stream") {
    await body.frames[Symbol.asyncIterator]().return?.()
    return undefined
  }
  if (status < 400 || body.type === "bytes") return undefined
  const { kind } = (body.value ?? {}) as { readonly kind?: string }
  return kind === "Status" ? undefined : `status ${status} without a Status: ${JSON.stringify(body.value)}`
}

export function described({ verb, path, query, headers, body }: TransportRequest): string {
  const text = body?.type === "bytes" ? `bytes ${Buffer.from(body.bytes).toString("base64")}` : JSON.stringify(body?.value)
  return `${verb} ${path} ${JSON.stringify(query)} ${JSON.stringify(headers)} ${text}`
}
