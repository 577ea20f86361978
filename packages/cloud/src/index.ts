export {
  type CloudControllers,
  type CreateCloudControllersOptions,
  cloudControllers,
  createCloudControllers,
  isCloudController,
  isServiceControllerSelected,
  selectCloudControllers,
} from "./cloud-controllers.ts"
export type { DatagramFlow, PodDialer } from "./loopback/dialer/pod-dialer.ts"
export { systemDialer } from "./loopback/dialer/system-dialer.ts"
export { type EndpointsOptions, loopbackEndpointsController } from "./loopback/endpoints-controller.ts"
export { LoopbackCloud, type LoopbackCloudOptions } from "./loopback/loopback-cloud.ts"
export { NodePorts, type NodePortsOptions } from "./loopback/node-ports.ts"
export { nodePortsController } from "./loopback/node-ports-controller.ts"
export { type LoopbackProviderOptions, loopbackProvider } from "./loopback/provider.ts"
export { loopbackCounters, type ServiceCounters } from "./loopback/targets/counters.ts"
export {
  type MemoryBalancer,
  type MemoryCall,
  MemoryCloud,
  type MemoryCloudOptions,
  type MemoryFault,
  type MemoryInstance,
} from "./memory/memory-cloud.ts"
export { type MemoryProviderOptions, memoryProvider } from "./memory/provider.ts"
export { type CloudNodeOptions, cloudNodeController } from "./node/controller.ts"
export { type CloudNodeLifecycleOptions, cloudNodeLifecycleController } from "./node-lifecycle/controller.ts"
export { defaultBalancerName } from "./provider/balancer-name.ts"
export type { CloudControllerDescriptor, CloudNeeds } from "./provider/cloud-descriptor.ts"
export { BalancerNotFound, CloudError, ImplementedElsewhere, InstanceNotFound, MissingCapability } from "./provider/cloud-errors.ts"
export { type CloudProviderOptions, type CreateCloudProvider, createProviderIn, makeProvider } from "./provider/plug-in.ts"
export type { CloudProvider, Ensured, InstanceMetadata, Instances, LoadBalancers, Notice, Route, Routes } from "./provider/provider.ts"
export { type RouteControllerOptions, routeController } from "./route/controller.ts"
export { type ServiceOptions, serviceController } from "./service/controller.ts"
export { needsUpdate } from "./service/needs-update.ts"
export { balancedNodes } from "./service/node-set.ts"
export { cleanupFinalizer, needsCleanup, wantsLoadBalancer } from "./service/wants-load-balancer.ts"
