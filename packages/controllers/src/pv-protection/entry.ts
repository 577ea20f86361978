import { loop } from "../loop.ts"
import { pvProtectionController } from "./controller.ts"

export const pvProtectionLoop = loop({
  name: "persistentvolume-protection-controller",
  aliases: ["pv-protection"],
  create: () => pvProtectionController(),
})
