import { VirtualClock } from "@pilothouse/seams"
import { type ContractFault, providerContract } from "../contract/index.ts"
import { CloudError } from "../provider/cloud-errors.ts"
import { MemoryCloud, type MemoryFault } from "./memory-cloud.ts"
import { memoryProvider } from "./provider.ts"

const faults: Readonly<Record<ContractFault, MemoryFault>> = {
  fail: { fail: new CloudError("the cloud is broken") },
  hang: { hang: true },
  "lose-answer": { loseAnswer: true },
}

providerContract("memory", async () => {
  const cloud = new MemoryCloud({ clock: new VirtualClock() })
  return {
    provider: (clusterName) => memoryProvider({ cloud, clusterName }),
    balancers: async () => [...cloud.balancers.keys()],
    writes: () => cloud.writes,
    deleteOutOfBand: async (name) => void cloud.balancers.delete(name),
    async changeInstance(name, change) {
      if (change === "delete") cloud.instances.delete(name)
      else cloud.instances.set(name, { name, providerId: `memory:///${name}`, isShutDown: change === "stop" })
    },
    fault(kind) {
      cloud.fault = () => {
        cloud.fault = () => undefined
        return faults[kind]
      }
    },
    [Symbol.asyncDispose]: async () => {},
  }
})
