import { loadBalancerHandlerContract } from "./load-balancer.contract.ts"
import { otherHandsContract } from "./other-hands.contract.ts"
import { vifPoolContract } from "./pools.contract.ts"
import type { MakeHandlers } from "./test-subject.ts"
import { vifHandlerContract } from "./vif.contract.ts"

export { type HandlersCloud, type HandlersOptions, type RunningHandlers, removeAll, startHandlers } from "./test-handlers.ts"
export * from "./test-subject.ts"

/** What the handlers promise on every cloud. */
export function handlersContract(name: string, make: MakeHandlers): void {
  vifHandlerContract(name, make)
  vifPoolContract(name, make)
  loadBalancerHandlerContract(name, make)
  otherHandsContract(name, make)
}
