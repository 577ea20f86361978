export { BuiltIndex } from "./cache/built-index.ts"
export type { Change, Notice } from "./cache/change.ts"
export { byController, type Index, index, podsByNode } from "./cache/index-definition.ts"
export { Informer, type InformerOptions } from "./cache/informer.ts"
export { type InformerScope, Informers, type InformersOptions } from "./cache/informers.ts"
export type { KindScope, ScopeOptions } from "./cache/kind-scopes.ts"
export type { ChangeHandler, Registration } from "./cache/listener.ts"
export type { HandlerOptions } from "./cache/listeners.ts"
export type { StoreReader } from "./cache/store.ts"
export type { Subscription, SubscriptionOptions } from "./cache/subscription.ts"
export { Chain, type ChainOptions, type ChainSource, type CountedEvent } from "./chain/chain.ts"
export type { StuckTask } from "./chain/failures.ts"
export { HandlerChains, type HandlerChainsOptions } from "./chain/handler-chains.ts"
export type { ChainEvent, ChainHandler, ChainTask } from "./chain/task.ts"
export type { ApplyConfiguration } from "./client/apply-configuration.ts"
export { type Client, type ClientOptions, createClient } from "./client/client.ts"
export type { Discovered, FailedGroup } from "./client/discovery/discovery.ts"
export { type DryRunOptions, dryRun, type RecordedWrite } from "./client/middleware/dry-run.ts"
export { type RateLimitOptions, rateLimited } from "./client/middleware/rate-limit.ts"
export { type MeasureOptions, measured } from "./client/middleware/request-metrics.ts"
export { type RetryOptions, retrying } from "./client/middleware/retry.ts"
export type { Target } from "./client/object-path.ts"
export type { List } from "./client/wire/list-reader.ts"
export type {
  ApplyOptions,
  CallOptions,
  DeleteCollectionOptions,
  DeleteOptions,
  EvictOptions,
  GetOptions,
  ListAllOptions,
  ListOptions,
  PatchOptions,
  PatchType,
  TokenOptions,
  WatchOptions,
  WriteOptions,
} from "./client/wire/options.ts"
export type { RawRequest } from "./client/wire/sender.ts"
export type { WatchEvent } from "./client/wire/watch-stream.ts"
export type { WireForm } from "./client/wire/wire-form.ts"
export type { DynamicKind, DynamicKinds } from "./controller/caches/dynamic-kinds.ts"
export type { KindAndObject, Reader } from "./controller/caches/reader.ts"
export { type Watch, watch } from "./controller/caches/watch.ts"
export { type Claim, type ClaimOptions, claim, liveOwner } from "./controller/claim.ts"
export {
  type CacheObserver,
  type Controller,
  type ControllerSpec,
  cacheObserver,
  controller,
  type DecideContext,
  type EventSource,
  type ReconcileResult,
  type WriteRight,
} from "./controller/controller.ts"
export { describeOperation, describePlan } from "./controller/describe-plan.ts"
export { RetryAfterError } from "./controller/follow-up.ts"
export { type Executor, executor, remembers } from "./controller/plan/executor.ts"
export {
  type CustomOperation,
  isKubeOperation,
  type KubeOperation,
  type ObjectRef,
  type Operation,
  type Plan,
  type PlannedEvent,
  type RememberOperation,
  type Result,
  type Step,
} from "./controller/plan/plan.ts"
export type { MergePatch, PatchOf, StatusOf } from "./controller/plan/plan-builder.ts"
export { type PlanBuilder, plan } from "./controller/plan/plan-builder.ts"
export { rememberFirst } from "./controller/plan/remember-first.ts"
export { Trace, type TraceEntry } from "./controller/trace.ts"
export {
  type ClusterOptions,
  type DefaultManager,
  type DefaultManagerOptions,
  type DefaultTransport,
  type DefaultTransportOptions,
  defaultTransport,
  manager,
  type TransportToOptions,
  transportTo,
} from "./defaults.ts"
export type { Credentials, Presented } from "./http/connection.ts"
export type { Peer } from "./http/explain-failure.ts"
export type { HttpTransport } from "./http/http-transport.ts"
export { type ServerDialer, type ServerDialerOptions, serverDialer } from "./http/server-dialer.ts"
export type { TraceLine } from "./manager/endpoints.ts"
export type { Health, HealthCheck } from "./manager/health.ts"
export type { LeaderElectionOptions } from "./manager/leader-election-options.ts"
export { debugAddressAnnotation, debugCertificateAnnotation } from "./manager/lease-holder.ts"
export { createManager, type Manager, type ManagerOptions } from "./manager/manager.ts"
export { type ServedEndpoints, type ServeEndpointsOptions, serveEndpoints } from "./manager/serve-endpoints.ts"
export { type EventHandler, eventHandler, type HandlerEvent } from "./pipeline/event-handler.ts"
export type { FailedObject } from "./pipeline/failed-objects.ts"
export { type Pipeline, type PipelineOptions, pipeline } from "./pipeline/pipeline.ts"
export type { RetryUntilOptions } from "./pipeline/retry-until.ts"
export {
  type BucketOptions,
  bucketLimiter,
  defaultLimiter,
  type ExponentialOptions,
  exponentialLimiter,
  type FastSlowOptions,
  fastSlowLimiter,
  fixedIntervalLimiter,
  type Limiter,
  maxOf,
  withMaxDelay,
  withMaxRetries,
} from "./queue/rate-limiters.ts"
export { type AddOptions, WorkQueue, type WorkQueueOptions } from "./queue/work-queue.ts"
export { type ClusterRoleOptions, clusterRole, rulesOf } from "./rbac/cluster-role.ts"
export {
  byFlagName,
  type ControllerDescriptor,
  type ControllerDescriptorOptions,
  controllerDescriptor,
  countFlag,
  durationFlag,
  type FeatureGate,
  type Flag,
  type Flags,
  findControllerDescriptor,
  flagName,
  type GivenSettings,
  numberFlag,
  type Settings,
  switchFlag,
  textFlag,
} from "./settings/controller-descriptor.ts"
export type { WatcherEvent, WatcherObserver } from "./watch/watcher-events.ts"
export { webhookHandler } from "./webhook/answer-review.ts"
export { type RegisterOptions, registerWebhooks, type WebhookAddress } from "./webhook/register-webhooks.ts"
export { type ServedWebhooks, type ServeWebhooksOptions, serveWebhooks } from "./webhook/serve-webhooks.ts"
export {
  type AdmissionOperation,
  type AdmissionRequest,
  type ConversionVersions,
  type ConvertedObject,
  type Mutable,
  type Refusal,
  type Webhook,
  type WebhookSpec,
  webhook,
} from "./webhook/webhook.ts"
