export { controllerMetricFamilies } from "./controller-metrics.ts"
export { controllers } from "./controllers.ts"
export { type CreateControllersOptions, createControllers, missingNeeds, selectControllers } from "./create-controllers.ts"
export type { GivenSettings, KubeControllerDescriptor, Needs, SignToken } from "./descriptor.ts"
export type { Flag, Flags } from "./flag.ts"
export {
  type DescribedVolume,
  type Provisioner,
  type ProvisionRequest,
  VolumeInUseError,
  type VolumePlugin,
} from "./persistent-volume/plugins/volume-plugin.ts"
export { controllersReference } from "./reference.ts"
export type { MetricFamily } from "./shared/metric-families.ts"
