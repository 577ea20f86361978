import { loop } from "../loop.ts"
import { vacProtectionController } from "./controller.ts"

export const vacProtectionLoop = loop({
  name: "volumeattributesclass-protection-controller",
  create: () => vacProtectionController(),
})
