import { descriptor } from "../descriptor.ts"
import { vacProtectionController } from "./controller.ts"

export const vacProtectionDescriptor = descriptor({
  name: "volumeattributesclass-protection-controller",
  create: () => vacProtectionController(),
})
