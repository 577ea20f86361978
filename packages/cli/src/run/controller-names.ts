import { cloudControllers } from "@pilothouse/cloud"
import { controllers } from "@pilothouse/controllers"

/** Of the controller manager and of the cloud: --controllers names them all. */
export const everyController = [...controllers, ...cloudControllers]
