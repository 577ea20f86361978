import { descriptor } from "../descriptor.ts"
import { disruptionController } from "./controller.ts"
import { staleDisruptionController } from "./stale-condition.ts"

export const disruptionDescriptor = descriptor({
  name: "disruption-controller",
  aliases: ["disruption"],
  create: () => [disruptionController(), staleDisruptionController()],
})
