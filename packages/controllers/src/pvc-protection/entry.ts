import { descriptor } from "../descriptor.ts"
import { pvcProtectionController } from "./controller.ts"

export const pvcProtectionDescriptor = descriptor({
  name: "persistentvolumeclaim-protection-controller",
  aliases: ["pvc-protection"],
  create: () => pvcProtectionController(),
})
