import type { Descriptor } from "@pilothouse/api"
import type { Clock, Transport } from "@pilothouse/seams"
import { type Discovered, type DiscoverOptions, Discovery } from "./discovery/discovery.ts"
import type { CallOptions } from "./options.ts"
import { type ReadVerbs, readVerbs } from "./read-verbs.ts"
import { type RawRequest, sender } from "./sender.ts"
import { type Subresources, subresources } from "./subresources.ts"
import { type WriteVerbs, writeVerbs } from "./write-verbs.ts"

/** Typed verbs for any resource. A refusal of the server is thrown as a StatusError. */
export interface Client extends ReadVerbs, WriteVerbs, Subresources {
  /** The resource of a kind that is not known beforehand, by discovery. INVALID when the server does not have it. */
  forKind(apiVersion: string, kind: string, options?: CallOptions): Promise<Descriptor>
  /** The versions in which the server has a kind of a group, its favourite first; none where it does not know the kind. By discovery, and kept. */
  versionsOf(group: string, kind: string, options?: CallOptions): Promise<readonly Descriptor[]>
  /** Every resource that the server has. */
  resources(options?: CallOptions): Promise<readonly Descriptor[]>
  /** The same, with the groups that did not answer: theirs are not known, which is not to say that there are none. */
  discover(options?: DiscoverOptions): Promise<Discovered>
  /** Anything else: the value of the answer, or its text. */
  request(request: ClientRequest): Promise<unknown>
}

/** What it is about, where that is known: a failure is then told in the words of the resource. */
export type ClientRequest = RawRequest & { readonly of?: Descriptor; readonly name?: string }

/** How a client calls itself. */
export interface ClientOptions {
  readonly userAgent?: string
  /** Without it, discovery is asked again whenever a kind is not known. */
  readonly clock?: Pick<Clock, "elapsed">
}

/** A client on any transport: `createClient((await defaultTransport()).transport)`. Makes no call by itself, and limits and retries nothing: layers do. */
export function createClient(transport: Transport, { userAgent = "pilothouse", clock }: ClientOptions = {}): Client {
  const send = sender(transport, userAgent)
  const discovery = new Discovery(send, clock)
  return {
    ...readVerbs(send),
    ...writeVerbs(send),
    ...subresources(send),
    forKind: (apiVersion, kind, options) => discovery.find(apiVersion, kind, options),
    versionsOf: (group, kind, options) => discovery.versionsOf(group, kind, options),
    resources: async (options) => (await discovery.refresh(options)).resources,
    discover: (options) => discovery.refresh(options),
    request: (request) => send.ask(request),
  }
}

export type { List } from "./read-verbs.ts"
export type { RawRequest } from "./sender.ts"
