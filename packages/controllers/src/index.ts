export type { Flag, Flags } from "@pilothouse/runtime"
export { accountOf, accountUser, type ControllerUser, controllerUser, managerUser } from "./accounts.ts"
export { type SignerName, signerNames } from "./certificates/kubelet-request.ts"
export {
  type ComponentRole,
  controllerRoles,
  discoveryRole,
  kubeletClientRole,
  kubeletRole,
  kuryrRole,
  metricsRole,
} from "./component-roles.ts"
export { controllers } from "./controllers.ts"
export {
  type CreateControllersOptions,
  controllersOfVersions,
  createControllers,
  type FeatureGates,
  knownFeatureGates,
  missingNeeds,
  selectControllers,
} from "./create-controllers.ts"
export {
  type DescribedVolume,
  type Provisioner,
  type ProvisionRequest,
  VolumeInUseError,
  type VolumePlugin,
} from "./persistent-volume/plugins/volume-plugin.ts"
export { controllerMetricFamilies, controllersReference } from "./reference.ts"
export type { GivenSettings, KubeControllerDescriptor, Needs, Signers, SignToken } from "./shared/descriptor.ts"
export type { MetricFamily } from "./shared/metric-families.ts"
