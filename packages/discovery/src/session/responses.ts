import { digestAll } from "../wire/digest.ts"
import { field, textField } from "../wire/length-delimited.ts"
import { type Kind, typeUrls } from "../xds/kinds.ts"
import type { Sendable } from "../xds/timed-resource.ts"

/** State of the world, or delta. */
export type Protocol = "sotw" | "delta"

/** What a response consists of, before its nonce. */
export interface ResponseContent {
  readonly protocol: Protocol
  readonly kind: Kind
  readonly resources: readonly Sendable[]
  readonly removed: readonly string[]
}

/** A response whose bytes are shared by every client that gets it. */
export interface SharedResponse extends ResponseContent {
  readonly nonce: number
  /** The same as text, made once for all streams. */
  readonly nonceText: string
  /** The message, with five bytes of room before it in the same buffer, filled in as gRPC's frame. */
  readonly bytes: Buffer
}

/** Enough for the sorts of streams that one change goes to. */
const kept = 2
/** Bytes of a response that is kept after it was sent. A larger one is shared while it is under way, and then collected. */
const maxKept = 256 * 1024
/** Bytes of the header of a gRPC message. */
export const frameLength = 5

/**
 * Responses, made once for all streams that get the same. Nonces count through the whole server, so that a response is new to every stream
 * that has only seen smaller ones; one that has seen it gets another.
 */
export class Responses {
  readonly #recent: Readonly<Record<Protocol, Map<Kind, readonly RecentResponse[]>>> = { sotw: new Map(), delta: new Map() }
  #nonce = 0

  /** `after`: the newest nonce of the stream. */
  of(content: ResponseContent, after: number): SharedResponse {
    const { protocol, kind } = content
    const recent = this.#recent[protocol].get(kind) ?? []
    for (const { response } of recent) {
      const known = response instanceof WeakRef ? response.deref() : response
      if (known !== undefined && known.nonce > after && isSame(known, content)) return known
    }
    const nonce = ++this.#nonce
    const nonceText = String(nonce)
    const made = { ...content, nonce, nonceText, bytes: encode(content, nonceText) }
    const response = made.bytes.length > maxKept ? new WeakRef(made) : made
    this.#recent[protocol].set(kind, [{ response }, ...recent.slice(0, kept - 1)])
    return made
  }

  /** Bytes that stay in memory although no stream sends them. */
  get retainedBytes(): number {
    const all = Object.values(this.#recent).flatMap((byKind) => [...byKind.values()].flat())
    return all.reduce((sum, { response }) => sum + (response instanceof WeakRef ? 0 : response.bytes.length), 0)
  }
}

interface RecentResponse {
  readonly response: SharedResponse | WeakRef<SharedResponse>
}

function isSame(one: ResponseContent, other: ResponseContent): boolean {
  if (one.resources.length !== other.resources.length || one.removed.length !== other.removed.length) return false
  for (let at = 0; at < one.resources.length; at++) if (!isSameResource(one.resources[at]!, other.resources[at]!)) return false
  for (let at = 0; at < one.removed.length; at++) if (one.removed[at] !== other.removed[at]) return false
  return true
}

function isSameResource(one: Sendable, other: Sendable): boolean {
  return one === other || (one.name === other.name && one.version === other.version && one.form === other.form)
}

/** A DiscoveryResponse or DeltaDiscoveryResponse, put together from bytes that are made already. */
function encode({ protocol, kind, resources, removed }: ResponseContent, nonce: string): Buffer {
  const delta = protocol === "delta"
  const framed = Buffer.concat([
    Buffer.alloc(frameLength),
    textField(1, versionOf(resources)),
    ...resources.flatMap((resource) => (delta ? resource.delta : resource.sotw)),
    textField(4, typeUrls[kind]),
    textField(5, nonce),
    ...removed.map((name) => textField(6, name)),
    field(delta ? 7 : 6, textField(1, "pilothouse")),
  ])
  framed.writeUInt32BE(framed.length - frameLength, 1)
  return framed.subarray(frameLength)
}

/** The version of a whole response: of its only resource, or a digest of all. */
function versionOf(resources: readonly Sendable[]): string {
  if (resources.length === 1) return resources[0]!.version
  return digestAll(resources.map(({ version }) => version))
}
