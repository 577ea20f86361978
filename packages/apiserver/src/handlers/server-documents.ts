import type { Descriptor } from "@pilothouse/api"
import { allDescriptors } from "@pilothouse/api/descriptors"
import type { Clock, TransportRequest, TransportResponse } from "@pilothouse/seams"
import type { Advertised } from "../bootstrap/wanted.ts"
import type { CustomResourceVersion } from "../customresources/served-version.ts"
import { type Discovery, discovery } from "../discovery/discovery.ts"
import { type RemoteGroupVersion, type ServedGroup, type StorageVersions, servedGroups } from "../discovery/groups.ts"
import { type Issuer, isIssuer, issuerPaths, issuerResponse } from "../discovery/issuer.ts"
import { openApi } from "../openapi/openapi.ts"
import type { Registry } from "../registry/registry.ts"
import { hostAndPort } from "../request/host-and-port.ts"
import type { Turns } from "../request/turns.ts"
import type { GroupVersionProxies } from "../server/aggregation.ts"
import type { Extension, Server } from "../server/server.ts"
import { healthPaths } from "./health.ts"
import { gitVersion } from "./version.ts"

interface Around {
  readonly clock: Clock
  readonly aggregation: Pick<GroupVersionProxies, "generation" | "versions" | "openApi">
  readonly turns: Pick<Turns, "whenFree">
  readonly extensions: readonly Extension[]
  readonly tokens: Issuer["tokens"]
  readonly advertised: Advertised
  readonly hasMetrics: boolean
}

interface Described {
  /** Of the custom resources and of the extension servers that it describes. */
  readonly generation: string
  readonly groups: readonly ServedGroup[]
  readonly discovery: Discovery
}

/** Everything that a server says of itself: what it has, how that looks, who signs its tokens, and where all this is. */
export function serverDocuments(registry: Registry, around: Around): Server["documents"] {
  const builtIn = registry.builtInDescriptors()
  const issuer: Issuer = { tokens: around.tokens, url: urlOf(around.advertised) }
  const { customResources } = registry
  const { aggregation } = around
  const schemas = openApi(
    {
      descriptors: builtIn,
      generation: () => `${customResources.generation} ${around.aggregation.generation}`,
      customResources: () => customResources.versions(),
      remotes: () => around.aggregation.openApi(),
    },
    { release: gitVersion, now: () => around.clock.now(), begin: (signal) => () => around.turns.whenFree(signal) },
  )
  let described: Described | undefined
  const current = (): Described => {
    const generation = `${customResources.generation} ${aggregation.generation}`
    if (described?.generation === generation) return described
    const versions = customResources.versions()
    const custom = versions.map(({ descriptor }) => descriptor)
    const remotes = aggregation.versions()
    const isPlain = custom.length === 0 && remotes.length === 0
    const resources = [...builtIn, ...extensionResources(around.extensions)]
    described = {
      generation,
      ...(isPlain ? plainDiscovery(resources) : describe([...resources, ...custom], remotes, storageVersions(versions))),
    }
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

type Description = Omit<Described, "generation">

function describe(resources: readonly Descriptor[], remotes: readonly RemoteGroupVersion[], stored?: StorageVersions): Description {
  const groups = servedGroups(resources, remotes, stored)
  return { groups, discovery: discovery(groups) }
}

function storageVersions(versions: readonly CustomResourceVersion[]): StorageVersions {
  const others = versions.filter(({ version }) => !version.storage)
  return new Map(
    others.map(({ definition, descriptor }) => [
      descriptor,
      definition.spec.versions.find(({ storage, served }) => storage && served)?.name,
    ]),
  )
}

/** Of the last server without custom resources and extension servers. Its documents hold nothing of that server: most of a process are alike, and share them. */
let plain: { readonly resources: readonly Descriptor[]; readonly description: Description } | undefined

function plainDiscovery(resources: readonly Descriptor[]): Description {
  const isSame = plain?.resources.length === resources.length && resources.every((resource, at) => resource === plain?.resources[at])
  if (plain === undefined || !isSame) plain = { resources, description: describe(resources, []) }
  return plain.description
}

function urlOf({ address, port }: Advertised): string {
  return `https://${hostAndPort(address, port)}`
}

/** The kinds of groups that others answer, as far as they or we know them: kubectl asks for no group that discovery does not name. */
function extensionResources(extensions: readonly Extension[]): readonly Descriptor[] {
  // Where two answer for one version, the first is asked.
  const first = extensions.filter(({ prefix }, at) => extensions.findIndex((other) => other.prefix === prefix) === at)
  return first.flatMap(({ prefix, resources }) => resources ?? knownUnder(prefix))
}

function knownUnder(prefix: string): readonly Descriptor[] {
  return allDescriptors.filter(({ group, version }) => group !== "" && prefix === `/apis/${group}/${version}`)
}

/** The list of paths that a browser or curl gets from the server's root; for people, so always on lines of their own. */
function rootResponse({ path }: TransportRequest, paths: () => readonly string[]): TransportResponse | undefined {
  if (path !== "/" && path !== "" && path !== "/index.html") return undefined
  const sorted = [...new Set(paths())].sort()
  const contentType = "application/json"
  const bytes = Buffer.from(JSON.stringify({ paths: sorted }, undefined, 2))
  return { status: 200, headers: { "content-type": contentType }, body: { type: "bytes", bytes, contentType } }
}

/** "/apis/apps", "/apis/apps/v1" … */
function groupPaths(groups: readonly ServedGroup[]): readonly string[] {
  const paths = groups.flatMap(({ name, versions }) => {
    const path = name === "" ? "/api" : `/apis/${name}`
    return [path, ...versions.map(({ version }) => `${path}/${version}`)]
  })
  return ["/apis", "/apis/", ...paths]
}
