import { loop } from "../loop.ts"
import { serviceAccountController } from "./controller.ts"

export const serviceAccountLoop = loop({
  name: "serviceaccount-controller",
  aliases: ["serviceaccount"],
  create: () => serviceAccountController(),
})
