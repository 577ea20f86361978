import { descriptor } from "../descriptor.ts"
import { pvProtectionController } from "./controller.ts"

export const pvProtectionDescriptor = descriptor({
  name: "persistentvolume-protection-controller",
  aliases: ["pv-protection"],
  create: () => pvProtectionController(),
})
