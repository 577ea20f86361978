import type { Descriptor } from "@pilothouse/api"
import type { Clock } from "@pilothouse/seams"
import type { Advertised } from "../bootstrap/wanted.ts"
import { openApi } from "../openapi/openapi.ts"
import { healthPaths } from "../server/health.ts"
import { hostAndPort } from "../server/host-and-port.ts"
import type { Extension, Server } from "../server/server.ts"
import { gitVersion } from "../server/version.ts"
import { discovery } from "./discovery.ts"
import { extensionResources } from "./extension-resources.ts"
import { servedGroups } from "./groups.ts"
import { type Issuer, isIssuer, issuerPaths, issuerResponse } from "./issuer.ts"
import { groupPaths, rootResponse } from "./root.ts"

interface Around {
  readonly clock: Clock
  readonly extensions: readonly Extension[]
  readonly tokens: Issuer["tokens"]
  readonly advertised: Advertised
  readonly hasMetrics: boolean
}

/** Everything that a server says of itself: what it has, how that looks, who signs its tokens, and where all this is. */
export function serverDocuments(descriptors: readonly Descriptor[], around: Around): Server["documents"] {
  const served = servedGroups([...descriptors, ...extensionResources(around.extensions)])
  const issuer: Issuer = { tokens: around.tokens, url: urlOf(around.advertised) }
  const groups = discovery(served)
  const schemas = openApi(descriptors, { release: gitVersion, now: () => around.clock.now() })
  const paths = () => [
    ...groupPaths(served),
    ...healthPaths,
    "/version",
    "/openapi/v2",
    "/openapi/v3",
    "/openapi/v3/",
    ...(around.hasMetrics ? ["/metrics"] : []),
    ...(isIssuer(issuer.tokens) ? issuerPaths : []),
  ]
  return (request) => groups(request) ?? schemas(request) ?? issuerResponse(issuer, request) ?? rootResponse(request, paths)
}

function urlOf({ address, port }: Advertised): string {
  return `https://${hostAndPort(address, port)}`
}
