import { providerContract } from "@pilothouse/cloud/contract"
import { openStack, openStackProvider } from "@pilothouse/openstack"
import { DisturbedWay } from "../disturbed.ts"
import { realCloud } from "../real-cloud.ts"

const prefix = "kube_service_"

providerContract("openstack on the real cloud", async () => {
  const { access, connect, clock, place } = realCloud()
  const counted = { writes: 0 }
  const way = new DisturbedWay(connect)
  const cloud = openStack({
    access,
    clock,
    retries: 0,
    connect: (url) => {
      const transport = way.connect(url)
      return async (request) => {
        const answer = await transport(request)
        if (request.verb !== "GET" && !request.path.startsWith("/auth") && answer.status < 300) counted.writes++
        return answer
      }
    },
  })
  const { loadBalancers } = cloud.octavia
  const ours = async () => (await loadBalancers.list()).filter(({ name }) => name.startsWith(prefix))
  const remove = async (id: string) => {
    if ((await cloud.polls.untilChangeable(id)) === undefined) return
    await loadBalancers.delete(id, { cascade: true })
    await cloud.polls.untilGone(id)
  }
  return {
    provider: (clusterName) => openStackProvider({ cloud, clusterName, settings: { subnetId: place.serviceSubnet } }),
    balancers: async () => (await ours()).map(({ name }) => name),
    writes: () => counted.writes,
    fault: (fault) => way.disturb(fault),
    async deleteOutOfBand(name) {
      for (const balancer of await ours()) if (balancer.name === name) await remove(balancer.id)
    },
    async [Symbol.asyncDispose]() {
      for (const { id } of await ours()) await remove(id)
    },
  }
})
