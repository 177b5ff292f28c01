// What need not be done before the next picture: keys are answered first.

// After the next frame has been drawn. A page nobody looks at draws none.
export function afterFrame(work) {
  if (document.hidden) setTimeout(work);
  else requestAnimationFrame(() => setTimeout(work));
}

// When the browser has nothing better to do, or after two seconds.
export function whenIdle(work) {
  if (window.requestIdleCallback) requestIdleCallback(work, { timeout: 2000 });
  else setTimeout(work, 200);
}
