import type { Clock, TransportRequest } from "@pilothouse/seams"
import type { Advertised } from "../bootstrap/wanted.ts"
import { openApi } from "../openapi/openapi.ts"
import type { Registry } from "../registry/registry.ts"
import { healthPaths } from "../server/health.ts"
import { hostAndPort } from "../server/host-and-port.ts"
import type { Extension, Server } from "../server/server.ts"
import { gitVersion } from "../server/version.ts"
import { type Discovery, discovery } from "./discovery.ts"
import { extensionResources } from "./extension-resources.ts"
import { type ServedGroup, servedGroups } from "./groups.ts"
import { type Issuer, isIssuer, issuerPaths, issuerResponse } from "./issuer.ts"
import { groupPaths, rootResponse } from "./root.ts"

interface Around {
  readonly clock: Clock
  readonly extensions: readonly Extension[]
  readonly tokens: Issuer["tokens"]
  readonly advertised: Advertised
  readonly hasMetrics: boolean
}

interface Described {
  /** Of the custom resources that it describes. */
  readonly generation: number
  readonly groups: readonly ServedGroup[]
  readonly discovery: Discovery
}

/** Everything that a server says of itself: what it has, how that looks, who signs its tokens, and where all this is. */
export function serverDocuments(registry: Registry, around: Around): Server["documents"] {
  const builtIn = registry.builtInDescriptors()
  const issuer: Issuer = { tokens: around.tokens, url: urlOf(around.advertised) }
  const { customResources } = registry
  const schemas = openApi(
    { descriptors: builtIn, generation: () => customResources.generation, customResources: () => customResources.versions() },
    { release: gitVersion, now: () => around.clock.now() },
  )
  let described: Described | undefined
  const current = (): Described => {
    const { generation } = customResources
    if (described?.generation === generation) return described
    const custom = customResources.versions().map(({ descriptor }) => descriptor)
    const groups = servedGroups([...builtIn, ...extensionResources(around.extensions), ...custom])
    described = { generation, groups, discovery: discovery(groups) }
    return described
  }
  const paths = () => [
    ...groupPaths(current().groups),
    ...healthPaths,
    "/version",
    "/openapi/v2",
    "/openapi/v3",
    "/openapi/v3/",
    ...(around.hasMetrics ? ["/metrics"] : []),
    ...(isIssuer(issuer.tokens) ? issuerPaths : []),
  ]
  return (request: TransportRequest) =>
    current().discovery(request) ?? schemas(request) ?? issuerResponse(issuer, request) ?? rootResponse(request, paths)
}

function urlOf({ address, port }: Advertised): string {
  return `https://${hostAndPort(address, port)}`
}
