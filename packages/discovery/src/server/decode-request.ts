import type { NodeMessage } from "../generators/client.ts"
import type { Protocol } from "../session/responses.ts"
import { messages } from "../wire/messages.ts"
import type { DeltaRequest, SotwRequest } from "../xds/request.ts"

/** A request of either protocol, decoded. */
export interface DecodedRequest {
  /** Only the first request of a stream is sure to have it. */
  readonly node?: NodeMessage
  readonly typeUrl: string
  readonly request: SotwRequest | DeltaRequest
}

interface Status {
  readonly code?: number
  readonly message?: string
}

/** Throws where the bytes are no such message. */
export function decodeRequest(protocol: Protocol, bytes: Uint8Array): DecodedRequest {
  const message = protocol === "sotw" ? messages.discoveryRequest : messages.deltaDiscoveryRequest
  // An ACK is read for every response that a client gets: only the node of a first request is worth making plain.
  const read = message.read(bytes) as Readonly<Record<string, unknown>> & { node?: object | null; errorDetail?: Status | null }
  const nonce = text(read.responseNonce)
  const error = read.errorDetail === undefined || read.errorDetail === null ? {} : { error: refusal(read.errorDetail) }
  const node = read.node ? { node: messages.node.plain(read.node) as NodeMessage } : {}
  const request: SotwRequest | DeltaRequest =
    protocol === "sotw"
      ? { names: names(read.resourceNames), version: text(read.versionInfo), nonce, ...error }
      : {
          subscribe: names(read.resourceNamesSubscribe),
          unsubscribe: names(read.resourceNamesUnsubscribe),
          initialVersions: new Map(Object.entries((read.initialResourceVersions ?? {}) as Record<string, string>)),
          nonce,
          ...error,
        }
  return { ...node, typeUrl: text(read.typeUrl), request }
}

function refusal({ code = 0, message = "" }: Status): string {
  return message || `refused with code ${code} and no text`
}

const text = (value: unknown): string => (typeof value === "string" ? value : "")
const names = (value: unknown): readonly string[] => (Array.isArray(value) ? (value as string[]) : [])
