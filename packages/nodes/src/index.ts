export { type SimulatedKubeletOptions, simulatedKubelets } from "./kubelet/controller.ts"
export { type KubeletApiOptions, kubeletApi } from "./kubelet/kubelet-api.ts"
export { isPaused, isSimulated, registerSimulatedNodes, type SimulatedNodeOptions, untilNodesReady } from "./kubelet/node/simulated-node.ts"
export { type PodDialer, type SimulatedPodDialerOptions, simulatedPodDialer } from "./kubelet/pod/pod-dialer.ts"
export type { PodAddress, PodNetwork } from "./kubelet/pod/pod-network.ts"
export { type ProcessPodsOptions, requireProcessPod } from "./kubelet/pod/process-address.ts"
export { type MetricsApi, type MetricsApisOptions, metricsApis } from "./metrics/metrics-apis.ts"
export { Processes, type ProcessesOptions } from "./process/processes.ts"
export type { Credentials, HostPowers, ProcessUser, SetprivPaths } from "./process/security/credentials.ts"
export { systemPowers } from "./process/security/system-powers.ts"
export type {
  ProbeHost,
  ProcessCall,
  ProcessEnd,
  ProcessListener,
  RunningProcess,
  SpawnProcess,
  SpawnStreams,
  StreamedProcess,
} from "./process/system/spawn.ts"
export { endLeftovers } from "./process/system/system-leftovers.ts"
export { systemProbe } from "./process/system/system-probe.ts"
export { systemSpawner } from "./process/system/system-spawn.ts"
export { systemStreams } from "./process/system/system-streams.ts"
export { scheduler } from "./scheduler/controller.ts"
export type { SchedulerProfile } from "./scheduler/profiles/profile.ts"
export { readProfiles } from "./scheduler/profiles/read-profiles.ts"
