import { loop } from "../loop.ts"
import { disruptionController } from "./controller.ts"
import { staleDisruptionController } from "./stale-condition.ts"

export const disruptionLoop = loop({
  name: "disruption-controller",
  aliases: ["disruption"],
  create: () => [disruptionController(), staleDisruptionController()],
})
