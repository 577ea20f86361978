import { descriptor } from "../descriptor.ts"
import { serviceAccountController } from "./controller.ts"

export const serviceAccountDescriptor = descriptor({
  name: "serviceaccount-controller",
  aliases: ["serviceaccount"],
  create: () => serviceAccountController(),
})
