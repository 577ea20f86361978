export { simulatedKubelets } from "./kubelet/controller.ts"
export { registerSimulatedNodes, untilNodesReady } from "./kubelet/simulated-node.ts"
export { scheduler } from "./scheduler/controller.ts"
