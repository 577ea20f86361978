import { loop } from "../loop.ts"
import { pvcProtectionController } from "./controller.ts"

export const pvcProtectionLoop = loop({
  name: "persistentvolumeclaim-protection-controller",
  aliases: ["pvc-protection"],
  create: () => pvcProtectionController(),
})
