import type { Descriptor } from "@pilothouse/api"
import type { Clock, Dial, Log, Metrics, Random, Transport, TransportRequest, TransportResponse } from "@pilothouse/seams"
import type { AdmissionPlugin } from "../admission/plugin.ts"
import type { DeviceIndex } from "../admission/quota/device-index.ts"
import type { Identity } from "../authentication/identity.ts"
import type { Authorizer } from "../authorization/authorizer.ts"
import type { RuleResolver } from "../authorization/rbac/rule-resolver.ts"
import type { KeyAndCertificate } from "../certificates/certificates.ts"
import type { ObjectIndexes } from "../registry/object-indexes.ts"
import type { Registry } from "../registry/registry.ts"
import type { Turns } from "../request/turns.ts"
import type { ServiceAddresses } from "../services/service-addresses.ts"
import type { Storage } from "../storage/storage.ts"
import type { ServiceAccountTokens } from "../tokens/service-account-tokens.ts"
import type { TokenWebhook } from "../tokens/token-webhook.ts"
import type { GroupVersionProxies } from "./aggregation.ts"
import type { ServerMetrics } from "./metrics.ts"

/** What every verb works with: the inside of one API server. */
export interface Server {
  readonly clock: Clock
  /** Of long work, such as big lists. */
  readonly turns: Turns
  readonly random: Random
  readonly storage: Storage
  readonly registry: Registry
  /** What is made of all objects of a kind, and ends with the server. */
  readonly indexes: ObjectIndexes
  /** In the order they are asked. */
  readonly admission: readonly AdmissionPlugin[]
  readonly authorizer: Authorizer
  /** The rules of roles and bindings; undefined where RBAC is off. */
  readonly rules: RuleResolver | undefined
  readonly log: Log
  readonly metrics: ServerMetrics
  /** Where plugins of admission count that are loaded when they are needed. */
  readonly admissionMetrics: Metrics
  readonly metricsText: (() => string) | undefined
  /** How many events may wait for a watcher before it is cut. */
  readonly watchBuffer: number
  readonly addresses: ServiceAddresses
  /** For quotas of devices. */
  readonly devices: DeviceIndex
  /** Who has which bearer token, beside service accounts. */
  readonly tokens: ReadonlyMap<string, Identity>
  /** Left out: this server was given no key to sign tokens with. */
  readonly serviceAccountTokens: ServiceAccountTokens | undefined
  /** Whether bootstrap tokens authenticate. */
  readonly bootstrapTokenAuth: boolean
  /** Undefined where no other server is asked whose tokens are. */
  readonly tokenWebhook: TokenWebhook | undefined
  readonly openWatches: { add(count: number): void }
  /** API prefixes that others answer: "/apis/metrics.k8s.io/v1beta1". */
  readonly extensions: readonly Extension[]
  /** Group versions that extension servers answer for. */
  readonly aggregation: GroupVersionProxies
  /** By this certificate extension servers know this server; undefined where it was given none. */
  readonly frontProxy: () => KeyAndCertificate | undefined
  /** Discovery and OpenAPI; undefined for every other path. */
  readonly documents: (request: TransportRequest) => TransportResponse | Promise<TransportResponse> | undefined
  /** How to reach webhooks and other servers; undefined where this server was given no network. */
  readonly dial: Dial | undefined
  /** How to reach pods; undefined: as other servers. */
  readonly dialPod: Dial | undefined
  readonly kubelet: ((node: string) => Transport | undefined) | undefined
  /** Ends watches when the server closes. */
  readonly closing: AbortSignal
}

/** Paths that are served beside those of Kubernetes. */
export interface Extension {
  readonly prefix: string
  readonly transport: Transport
  /** What discovery says of it; left out: those built-in kinds that stand under the prefix. */
  readonly resources?: readonly Descriptor[]
}
