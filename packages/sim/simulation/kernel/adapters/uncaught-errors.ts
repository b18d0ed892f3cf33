let capturing = false;

/**
 * Hands uncaught errors to `onError` instead of ending the program, until the function it returns is called. The
 * listeners that were there before are put back then.
 */
export function captureUncaughtErrors(onError: (error: unknown) => void): () => void {
  if (capturing) throw new Error('two simulations run at once in one program: await the first before the second');
  capturing = true;
  const rejections = process.listeners('unhandledRejection');
  const exceptions = process.listeners('uncaughtException');
  const listener = (error: unknown) => onError(error);
  process.removeAllListeners('unhandledRejection').on('unhandledRejection', listener);
  process.removeAllListeners('uncaughtException').on('uncaughtException', listener);
  return () => {
    capturing = false;
    process.off('unhandledRejection', listener);
    process.off('uncaughtException', listener);
    for (const earlier of rejections) process.on('unhandledRejection', earlier);
    for (const earlier of exceptions) process.on('uncaughtException', earlier);
  };
}
