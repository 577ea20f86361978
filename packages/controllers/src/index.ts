export { type ControllerEntry, controllers } from "./controllers.ts"
