import { externalChangesContract } from "./external-changes.contract.ts"
import { loadBalancerHandlerContract } from "./load-balancer.contract.ts"
import { vifPoolHandlerContract } from "./pools.contract.ts"
import type { MakeHandlers } from "./testing/subject.ts"
import { vifHandlerContract } from "./vif.contract.ts"

export { type HandlersCloud, type HandlersOptions, type RunningHandlers, removeAll, startHandlers } from "./testing/handlers.ts"
export * from "./testing/subject.ts"

/** What the handlers promise on every cloud. */
export function handlersContract(name: string, make: MakeHandlers): void {
  vifHandlerContract(name, make)
  vifPoolHandlerContract(name, make)
  loadBalancerHandlerContract(name, make)
  externalChangesContract(name, make)
}
