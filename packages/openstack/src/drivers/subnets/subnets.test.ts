import { seededRandom, VirtualClock } from "@pilothouse/seams"
import { openStack } from "../../clients/cloud.ts"
import { EmbeddedOpenStack } from "../../embedded/embedded-open-stack.ts"
import { subnetsContract } from "./subnets.contract.ts"
import { defaultSubnets } from "./subnets.ts"

subnetsContract("default", async () => {
  const clock = new VirtualClock()
  const cloud = new EmbeddedOpenStack({ clock, random: seededRandom(1) })
  const { neutron } = openStack({ access: cloud.access(), connect: cloud.connect, clock, retries: 0 })
  return {
    driver: defaultSubnets(neutron, cloud.seed.podSubnet),
    calls: () => cloud.calls.length,
    away: (isAway) => {
      cloud.fault = ({ service }) => (isAway && service === "neutron" ? { status: 503 } : undefined)
    },
  }
})
