import type { Descriptor } from "@pilothouse/api"
import type { Clock, Transport } from "@pilothouse/seams"
import { type Discovered, type DiscoverOptions, Discovery } from "./discovery/discovery.ts"
import { type ReadVerbs, readVerbs } from "./read-verbs.ts"
import { type Subresources, subresources } from "./subresources.ts"
import type { CallOptions } from "./wire/options.ts"
import { type RawRequest, sender } from "./wire/sender.ts"
import { type WriteVerbs, writeVerbs } from "./write-verbs.ts"

/** Typed verbs for any resource. A refusal of the server is thrown as a StatusError. */
export interface Client extends ReadVerbs, WriteVerbs, Subresources {
  /** Finds the resource of a kind by discovery. Throws INVALID when the server does not have it. */
  forKind(apiVersion: string, kind: string, options?: CallOptions): Promise<Descriptor>
  /** The versions in which the server has a kind of a group, the preferred one first; none where it does not have the kind. By discovery, cached. */
  versionsOf(group: string, kind: string, options?: CallOptions): Promise<readonly Descriptor[]>
  /** Returns all resources of the server. */
  resources(options?: CallOptions): Promise<readonly Descriptor[]>
  /** The same, with the groups that failed: their resources are unknown. */
  discover(options?: DiscoverOptions): Promise<Discovered>
  /** Sends any other request; returns the value of the response, or its text. */
  request(request: ClientRequest): Promise<unknown>
}

/** With the resource and name, where known: errors name them. */
export type ClientRequest = RawRequest & { readonly of?: Descriptor; readonly name?: string }

/** Options of a client. */
export interface ClientOptions {
  readonly userAgent?: string
  /** The field manager of writes that name none. Without it the server uses the user agent up to its first "/", and apply needs one. */
  readonly fieldManager?: string
  /** Without it, discovery is repeated for each unknown kind. */
  readonly clock?: Pick<Clock, "elapsed">
}

/** Creates a client on any transport: `createClient((await defaultTransport()).transport)`. Sends nothing by itself, and has no limit and no retries: middleware adds those. */
export function createClient(transport: Transport, { userAgent = "pilothouse", fieldManager, clock }: ClientOptions = {}): Client {
  const send = sender(transport, userAgent)
  const discovery = new Discovery(send, clock)
  return {
    ...readVerbs(send),
    ...writeVerbs(send, fieldManager),
    ...subresources(send, fieldManager),
    forKind: (apiVersion, kind, options) => discovery.find(apiVersion, kind, options),
    versionsOf: (group, kind, options) => discovery.versionsOf(group, kind, options),
    resources: async (options) => (await discovery.refresh(options)).resources,
    discover: (options) => discovery.refresh(options),
    request: (request) => send.ask(request),
  }
}

export type { List } from "./read-verbs.ts"
export type { RawRequest } from "./wire/sender.ts"
