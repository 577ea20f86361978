import type { CallOptions, Filter, ReadCollection } from "../calls/collection.ts"
import { CollectionCalls } from "../calls/collection-calls.ts"
import type { ServiceCall, ServiceCalls } from "../calls/service-calls.ts"
import type * as wire from "./types.ts"

/** Nova v2.1: only servers, and only to read. */
export interface Nova {
  readonly servers: ReadCollection<wire.Server>
}

export interface NovaClientOptions {
  readonly calls: ServiceCalls
  readonly pageSize: number
}

/** The first version of its API that tells the name of a server's flavor. */
const version = { "openstack-api-version": "compute 2.47" }

/** Creates a client of Nova's API v2.1. A filter of `name` is a regular expression there. */
export function novaClient({ calls, pageSize }: NovaClientOptions): Nova {
  const versioned = {
    timeout: calls.timeout,
    send: (call: ServiceCall) => calls.send({ ...call, headers: { ...call.headers, ...version } }),
  }
  const place = { calls: versioned, one: "server", many: "servers", pageSize }
  const details = new CollectionCalls<wire.Server, never>({ ...place, path: "/v2.1/servers/detail" })
  const servers = new CollectionCalls<wire.Server, never>({ ...place, path: "/v2.1/servers" })
  return {
    servers: {
      list: (filter?: Filter, options?: CallOptions) => details.list(filter, options),
      get: (id, options) => servers.get(id, options),
      find: (id, options) => servers.find(id, options),
    },
  }
}
