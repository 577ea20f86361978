import { events, type Secret } from "@pilothouse/api/core/v1"
import {
  type Clock,
  type Dial,
  type Log,
  lazy,
  type Metrics,
  messageOf,
  noMetrics,
  PilothouseError,
  type Random,
  silentLog,
  type Transport,
  valueBody,
} from "@pilothouse/seams"
import { type AdmissionOptions, admissionPlugins } from "./admission/plugins/index.ts"
import { DeviceIndex } from "./admission/quota/device-index.ts"
import { Aggregation } from "./aggregation/aggregation.ts"
import { administrator, apiServer, type Identity } from "./authentication/identity.ts"
import type { Authorizer } from "./authorization/authorizer.ts"
import type { ComponentRole } from "./authorization/bootstrap-policy/policy-objects.ts"
import { allowAuthenticated } from "./authorization/fixed-authorizers.ts"
import { type Authorization, authorizationOf } from "./authorization/modes/modes.ts"
import type { GraphSources } from "./authorization/node/node-graph.ts"
import { escalationCheck } from "./authorization/rbac/escalation.ts"
import type { RuleSources } from "./authorization/rbac/rule-resolver.ts"
import type { ConfiguredAuthorizer } from "./authorization/webhook/authorization-configuration.ts"
import { AddressRepair } from "./bootstrap/address-repair.ts"
import { ApiServiceRegistration } from "./bootstrap/api-service-registration.ts"
import { bootstrap, mendKept } from "./bootstrap/bootstrap.ts"
import { DefinitionController } from "./bootstrap/definition-controller.ts"
import { keepIdentity } from "./bootstrap/identity-lease.ts"
import { keepApiService } from "./bootstrap/keep-api-service.ts"
import type { Advertised } from "./bootstrap/wanted.ts"
import type { FrontProxy } from "./certificates/front-proxy.ts"
import { lazyConverter } from "./conversion/lazy-converter.ts"
import type { ConverterOf } from "./customresources/converter.ts"
import { CustomResources } from "./customresources/custom-resources.ts"
import { handlerChain } from "./handlers/handler-chain.ts"
import { serverDocuments } from "./handlers/server-documents.ts"
import { expireAfterWrite } from "./objects/expiry.ts"
import { ObjectIndexes } from "./registry/object-indexes.ts"
import { createRegistry, type Registry } from "./registry/registry.ts"
import { Turns } from "./request/turns.ts"
import type { EdgeTransport, RequestHead } from "./server/edge-transport.ts"
import { serverMetrics } from "./server/metrics.ts"
import type { Extension, Server } from "./server/server.ts"
import type { PortRange } from "./services/node-port-range.ts"
import { ServiceAddresses } from "./services/service-addresses.ts"
import { memoryStorage } from "./storage/memory.ts"
import type { Storage } from "./storage/storage.ts"
import { userOfToken } from "./tokens/review-token.ts"
import { type LazyServiceAccountOptions, type ServiceAccountOptions, ServiceAccountTokens } from "./tokens/service-account-tokens.ts"
import { TokenWebhook, type TokenWebhookOptions } from "./tokens/token-webhook.ts"
import { keepHistory } from "./watch/history.ts"

/** Options of an API server. */
export interface ApiServerOptions {
  readonly clock: Clock
  readonly random: Random
  /** Where objects are kept; in memory by default. */
  readonly storage?: Storage
  readonly log?: Log
  readonly metrics?: Metrics
  /** What /metrics answers, in Prometheus' text; without it there is no such page. */
  readonly metricsText?: () => string
  /** API prefixes that others answer. */
  readonly extensions?: readonly Extension[]
  /** How to reach webhooks and other servers by their addresses; without it every call of one fails. */
  readonly dial?: Dial
  /** How to reach pods by their addresses, for the proxies of pods and Services; by default as other servers. */
  readonly dialPod?: Dial
  /** What extension servers know this server by, and how they are to check it; without it they are called without a certificate. */
  readonly frontProxy?: FrontProxy
  /** How to reach the kubelet of a node, for logs, exec and port-forward. */
  readonly kubelet?: (node: string) => Transport | undefined
  /** Lets Endpoints and EndpointSlices have loopback addresses, which upstream refuses: for clusters whose pods are processes of this host. */
  readonly allowLoopbackEndpoints?: boolean
  /** Group versions that are off by default and served here, as --runtime-config turns them on: "storagemigration.k8s.io/v1beta1". */
  readonly enabledVersions?: readonly string[]
  /** Who has which bearer token, beside service accounts. */
  readonly tokens?: ReadonlyMap<string, Identity>
  /** Lets bootstrap tokens, Secrets in kube-system, authenticate joining nodes, as --enable-bootstrap-token-auth; off by default. */
  readonly bootstrapTokenAuth?: boolean
  /** Another server that is asked about tokens that are not known here, as --authentication-token-webhook-config-file. */
  readonly tokenWebhook?: Omit<TokenWebhookOptions, "ownAudiences">
  /** Decides which user may do what; by default the authorizers of `authorizationModes`. */
  readonly authorizer?: Authorizer
  /** As --authorization-mode: the authorizers in their order. By default an authenticated user may do everything. */
  readonly authorizationModes?: readonly ConfiguredAuthorizer[]
  /** Rights of accounts in kube-system beside those of upstream's bootstrap policy, where RBAC is on. */
  readonly componentRoles?: readonly ComponentRole[]
  /** Which admission plugins are on, beside or without those that usually are. */
  readonly admission?: AdmissionOptions
  /** What the tokens of service accounts are signed with; without it there are none. */
  readonly serviceAccounts?: ServiceAccountOptions | LazyServiceAccountOptions
  /** Where Services get their addresses from. */
  readonly serviceClusterIpRange?: string
  /** Where Services of type NodePort get their ports from; 30000–32767 by default. */
  readonly serviceNodePortRange?: PortRange
  /** Where others reach this server: what the endpoints of default/kubernetes say. */
  readonly advertise?: Advertised
  /** The name of the machine, for the Lease of this server; without it there is none. */
  readonly hostname?: string
  /** The certificate (PEM) that client certificates are signed with. */
  readonly clientCa?: string
  /** Milliseconds after its last write when an Event expires; an hour by default. */
  readonly eventTtl?: number
  /** Events that may wait for one watcher; a slower one is cut. In process an event is a pointer, so there is room. */
  readonly watchBuffer?: number
}

/** An API server in this process: a Transport, and what belongs to its life. */
export interface ApiServer {
  /** Sends requests as this user; by default as the administrator. */
  transport(identity?: Identity): EdgeTransport
  /** The user of a bearer token, for servers that authenticate requests; undefined when the token is not valid. */
  tokenReview(token: string): Identity | undefined | Promise<Identity | undefined>
  /**
   * Lets these authorizers decide from the next request on. Throws for a mode that was not in `authorizationModes` at the start and reads the
   * storage, Node or RBAC, and then nothing has changed.
   */
  replaceAuthorizers(modes: readonly ConfiguredAuthorizer[]): void
  /** Ends the watches and closes the storage. */
  close(): Promise<void>
}

/** kubeadm's. */
const defaultServiceRange = "10.96.0.0/12"
/** kubeadm's port; a server without an advertised address is reachable on this machine only. */
const defaultAdvertised: Advertised = { address: "127.0.0.1", port: 6443 }
const defaultWatchBuffer = 16_384

/** A Kubernetes API in this process. */
export function createApiServer(options: ApiServerOptions): ApiServer {
  const closing = new AbortController()
  const held = new DisposableStack()
  const { server, authorization } = serverOf(options, closing.signal, { held, noteUse: (secret, patch) => noteUse(secret, patch) })
  const { serve, authorize } = handlerChain(server)
  const noteUse: NoteUse = (secret, patch) => patchInBackground(secret, patch, (request) => serve(apiServer, request), server)
  held.use(server.registry.customResources)
  held.use(keepHistory(server.storage, server.clock))
  held.use(expireAfterWrite(server.storage, server.clock, server.registry.served(events), options.eventTtl))
  // A storage that takes no writes can still be read: it is served as it is.
  const refused = (error: unknown) => server.log.error("what every cluster has could not be written", { error: messageOf(error) })
  const own = {
    advertise: options.advertise ?? defaultAdvertised,
    clientCa: options.clientCa,
    frontProxy: options.frontProxy,
    componentRoles: options.componentRoles,
  }
  let starting: Promise<void> | undefined = bootstrap(server, own)
    .catch(refused)
    .finally(() => {
      starting = undefined
      if (closing.signal.aborted) return
      held.use(new DefinitionController(server, serve))
      held.use(new AddressRepair(server, serve))
      held.use(new ApiServiceRegistration(server, serve))
      server.aggregation.start(serve)
      held.use(keepApiService(server, () => mendKept(server, own)))
      const { hostname, advertise: advertised = defaultAdvertised } = options
      if (hostname !== undefined) held.use(keepIdentity(server, { hostname, advertised }))
    })
  return {
    transport(identity = administrator) {
      const send: Transport = async (request) => {
        if (starting !== undefined) await starting
        return serve(identity, request)
      }
      const decide = (head: RequestHead) =>
        starting === undefined ? authorize(identity, head) : starting.then(() => authorize(identity, head))
      return Object.assign(send, { authorize: decide })
    },
    tokenReview: (token) => userOfToken(server, token),
    replaceAuthorizers: (modes) => authorization.replace(modes),
    async close() {
      closing.abort()
      held.dispose()
      await server.storage.close()
    },
  }
}

/** An authorizer that is passed in, or one that is made of the modes. */
function authorizationFor({ authorizer, authorizationModes }: ApiServerOptions, sources: RuleSources & GraphSources): Authorization {
  if (authorizer !== undefined || authorizationModes === undefined) {
    const replace = () => {
      throw new PilothouseError("INVALID", "expected authorizationModes at the start of the server, found none: its authorizer stays")
    }
    return { authorizer: authorizer ?? allowAuthenticated, rules: undefined, replace, [Symbol.dispose]: () => {} }
  }
  return authorizationOf(authorizationModes, sources)
}

type NoteUse = (secret: Secret, patch: object) => void

/** A user waits for no write that only notes the use of a token; one that fails is tried at the next use. */
function patchInBackground({ metadata }: Secret, patch: object, send: Transport, { log }: Server): void {
  const path = `/api/v1/namespaces/${metadata.namespace}/secrets/${metadata.name}`
  const headers = { "content-type": "application/merge-patch+json" }
  const failed = (error: unknown) => log.warn("the use of a token could not be noted", { secret: path, error: messageOf(error) })
  send({ verb: "PATCH", path, query: {}, headers, body: valueBody(patch) }).catch(failed)
}

function watchCounter(changed: (open: number) => void): Server["openWatches"] {
  let open = 0
  return {
    add(count) {
      open += count
      changed(open)
    },
  }
}

function serviceAddresses(
  seams: ConstructorParameters<typeof ServiceAddresses>[0],
  { serviceClusterIpRange: range, serviceNodePortRange: ports }: ApiServerOptions,
): ServiceAddresses {
  return new ServiceAddresses(seams, { range: range ?? defaultServiceRange, ...(ports !== undefined && { ports }) })
}

interface ServerParts {
  /** Receives what ends with the server. */
  readonly held: DisposableStack
  readonly noteUse: NoteUse
}

/** Where RBAC is on, no user gives rights that it has not. */
function escalationChecks({ authorizer, rules }: Authorization) {
  return rules === undefined ? [] : [escalationCheck(authorizer, rules)]
}

interface Served {
  readonly server: Server
  readonly authorization: Authorization
}

function serverOf(options: ApiServerOptions, closing: AbortSignal, { held, noteUse }: ServerParts): Served {
  const { clock, random, log = silentLog, storage = memoryStorage({ log }), metrics = noMetrics, extensions = [], kubelet } = options
  const turns = new Turns(clock)
  const converterOf: ConverterOf = (definition) =>
    lazyConverter(() => ({ clock, random, storage, metrics, dial: options.dial, registry, turns }), definition)
  const registry: Registry = createRegistry({
    ...options,
    enforcesRbac: options.authorizationModes?.includes("RBAC") === true,
    customResources: new CustomResources(storage, converterOf),
  })
  const named = serverMetrics(metrics)
  const openWatches = watchCounter((open) => named.watchers.set(open))
  const serviceAccountTokens =
    options.serviceAccounts && new ServiceAccountTokens(options.serviceAccounts, { clock, random, storage, registry, noteUse })
  const aggregation = held.use(new Aggregation({ storage, registry, metrics }, () => server))
  const documents = lazy(() =>
    serverDocuments(registry, {
      clock,
      turns,
      aggregation,
      extensions,
      tokens: serviceAccountTokens,
      advertised: options.advertise ?? defaultAdvertised,
      hasMetrics: options.metricsText !== undefined,
    }),
  )
  const authorization = held.use(authorizationFor(options, { storage, registry, turns }))
  const server: Server = {
    clock,
    turns,
    random,
    storage,
    log,
    extensions,
    kubelet,
    dial: options.dial,
    dialPod: options.dialPod,
    registry,
    aggregation,
    frontProxy: () => options.frontProxy?.client(),
    indexes: new ObjectIndexes({ storage, registry }, closing),
    documents: (request) => documents()(request),
    openWatches,
    addresses: serviceAddresses({ storage, registry, clock, random }, options),
    devices: new DeviceIndex(storage, registry),
    tokens: options.tokens ?? new Map(),
    serviceAccountTokens,
    bootstrapTokenAuth: options.bootstrapTokenAuth ?? false,
    tokenWebhook: options.tokenWebhook && new TokenWebhook({ ...options.tokenWebhook, ownAudiences: serviceAccountTokens?.audiences }),
    watchBuffer: options.watchBuffer ?? defaultWatchBuffer,
    closing,
    metricsText: options.metricsText,
    authorizer: authorization.authorizer,
    rules: authorization.rules,
    metrics: named,
    admissionMetrics: metrics,
    admission: [...admissionPlugins(options.admission), ...escalationChecks(authorization)],
  }
  return { server, authorization }
}
