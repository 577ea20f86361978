export type { CallOptions, Collection, Filter, ReadCollection, UpdateOptions } from "./clients/calls/collection.ts"
export { isRefusal, OpenStackError, type OpenStackService, QuotaExceeded, type Refusal, type RefusalKind } from "./clients/calls/errors.ts"
export type { CloudAccess, Connect, Keystone, OpenStackCredentials, Token } from "./clients/calls/keystone.ts"
export { type OpenStack, type OpenStackOptions, openStack } from "./clients/cloud.ts"
export type { Neutron } from "./clients/neutron/neutron.ts"
export { LoadBalancerFailed, LoadBalancerPolls } from "./clients/octavia/load-balancer-polls.ts"
export type { Octavia } from "./clients/octavia/octavia.ts"
export { cloudOfCloudConf } from "./cloud-access/cloud-conf.ts"
export { type FindCloudOptions, findCloud } from "./cloud-access/find-cloud.ts"
export { cloudOfKuryrConf, clusterOfKuryrConf } from "./cloud-access/kuryr-conf.ts"
export { readCloudConf } from "./cloud-provider/cloud-conf.ts"
export { type OpenStackProviderOptions, openStackProvider } from "./cloud-provider/load-balancers.ts"
export type { BalancerSettings } from "./cloud-provider/settings.ts"
export {
  type KuryrConfiguration,
  kuryrConfiguration,
  type PoolSizes,
  parseKuryrConf,
  readKuryrConf,
} from "./configuration/configuration.ts"
export type { Drivers } from "./drivers/drivers.ts"
export type { EmbeddedCall, EmbeddedFault, FaultScript } from "./embedded/embedded-open-stack.ts"
export { EmbeddedOpenStack, type EmbeddedOpenStackOptions } from "./embedded/embedded-open-stack.ts"
export type { EmbeddedKnobs } from "./embedded/rest/knobs.ts"
export type { EmbeddedSeed } from "./embedded/seed.ts"
export { type ServableOpenStack, type ServedOpenStack, serveOpenStack } from "./embedded/serve.ts"
export { specAnnotation, stateAnnotation, vifAnnotation } from "./handlers/annotations.ts"
export type { OwnershipOptions } from "./handlers/ownership.ts"
export { podAddress } from "./handlers/pod-address.ts"
export { CloudHealth, type CloudHealthOptions, type FreeQuota, freeQuotas } from "./health/cloud-health.ts"
export { handlerNames, type Kuryr, type KuryrOptions, kuryr } from "./kuryr.ts"
export { Reachability, type Traffic, whyRefused } from "./reachability/reachability.ts"
export {
  findOrphans,
  type Orphan,
  type OrphanOptions,
  type Owners,
  ownersAmong,
  type RemoveOptions,
  removeOrphan,
} from "./sweep/handler.ts"
export { decodeState } from "./versioned-objects/annotations.ts"
